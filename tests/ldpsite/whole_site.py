"""A whole site in processes of its own, started as `make run` does, and a visitor."""

import http.client
import http.cookiejar
import re
import socket
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from ldpsite.env import BASE_DIR
from tests.processes import clean_environment
from tests.workers import wait_for


class Site:
    """A whole site in a data folder of its own and with its own embedded database."""

    def __init__(self, data_dir: Path, reports: int = 2000) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.data_dir = data_dir
        self.output = data_dir.parent / "output"
        self.environment = clean_environment(LDPSITE_DATA_DIR=str(data_dir), DEMO_REPORTS=str(reports))
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "run", "--port", str(self.port)],
                cwd=BASE_DIR,
                env=self.environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def said(self) -> str:
        return self.output.read_text(encoding="utf-8")

    def wait_until_ready(self) -> None:
        wait_for(lambda: f"{self.address}/" in self.said() or self.process.poll() is not None, timeout=120)
        assert self.process.poll() is None, self.said()

    def command(self, *arguments: str) -> str:
        """Run a command beside the site; return what it prints."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=BASE_DIR,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def descendants(self) -> list[str]:
        """List every process that works in this data folder, or for this port, of all parents."""
        listed = subprocess.run(["ps", "axwwe", "-o", "pid=,args="], capture_output=True, text=True, check=True).stdout
        # The trusted processes of training have no variable of the site's, but their folder.
        marks = f"LDPSITE_DATA_DIR={self.data_dir}", f"--folder {self.data_dir}/training/"
        return [line for line in listed.splitlines() if any(mark in line for mark in marks)]

    def logs(self) -> dict[str, str]:
        return {
            path.name: path.read_text(encoding="utf-8", errors="replace")
            for path in sorted(self.data_dir.joinpath("logs").iterdir())
        }


class Visitor:
    """A visitor with a browser, who comes from an address and says things about himself."""

    def __init__(self, site: Site, headers: dict[str, str], source: str = "") -> None:
        self.site, self.headers, self.source = site, headers, source
        self.cookies = http.cookiejar.CookieJar()

    def send(self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> tuple[int, str]:
        """Send a request; return status and text. Redirections are not followed."""
        headers = self.headers | (headers or {})
        request = urllib.request.Request(f"{self.site.address}{path}", body, headers)  # noqa: S310
        self.cookies.add_cookie_header(request)
        source = (self.source, 0) if self.source else None
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=30, source_address=source)
        try:
            connection.request(request.get_method(), path, body, dict(request.header_items()))
            response = connection.getresponse()
            self.cookies.extract_cookies(response, request)
            text = response.read().decode()
        finally:
            connection.close()
        return response.status, text

    def fill_in(self, path: str, **fields: object) -> tuple[int, str]:
        """Open a page with a form and send it."""
        _, page = self.send(path)
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert found, page
        body = encode_multipart(BOUNDARY, fields | {"csrfmiddlewaretoken": found[1]})
        return self.send(path, body, {"Content-Type": MULTIPART_CONTENT})

    def log_in(self) -> None:
        """With the login that the site has printed."""
        found = re.search(r"user (\S+), password (\S+)", self.site.said())
        assert found, self.site.said()
        status, page = self.fill_in("/accounts/login/", username=found[1], password=found[2])
        assert status == 302, page
        assert self.send("/")[0] == 200
