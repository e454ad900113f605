"""Time until the first chart is visible, in headless Chromium, against the real web server.

*Cold*: a browser that was never here, so that it has to load every script. *Warm*: the same browser on another page of
the kind. From the beginning of the navigation to the first frame in which the chart has its marks.
"""

import os
from pathlib import Path
from typing import Any

from benchmarks.measuring import Site, web_server

CHROMIUM = "/usr/bin/chromium"
# Looks at every frame, because nothing tells when a chart is drawn.
WATCH = """
(() => {
  const look = () => {
    const marks = document.querySelector(".chart .main-svg .trace path");
    if (marks && marks.getBoundingClientRect().width > 0) window.firstChart = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();
"""


def chromium(playwright: Any) -> Any:
    """The system's browser, or else the one that Playwright has installed."""
    path = os.environ.get("CHROMIUM", CHROMIUM)
    executable = {"executable_path": path} if Path(path).exists() else {}
    return playwright.chromium.launch(args=["--no-sandbox", "--disable-gpu"], **executable)


def first_charts(site: Site, session: str, paths: dict[str, list[str]], cold: int) -> dict[str, dict[str, list[float]]]:
    """Time the first chart of each kind of page: in so many new browsers, and on all other pages in the last."""
    from playwright.sync_api import sync_playwright

    found: dict[str, dict[str, list[float]]] = {}
    with web_server(site) as port, sync_playwright() as playwright:
        address = f"http://127.0.0.1:{port}"
        browser = chromium(playwright)
        for name, of_page in paths.items():
            times: dict[str, list[float]] = {"cold": [], "warm": []}
            for place in range(cold):
                context = browser.new_context(viewport={"width": 1280, "height": 900})
                context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
                page = context.new_page()
                page.add_init_script(WATCH)
                times["cold"].append(_seconds(page, address + of_page[place]))
                if place == cold - 1:
                    times["warm"] = [_seconds(page, address + path) for path in of_page[cold:]]
                context.close()
            found[name] = times
        browser.close()
    return found


def _seconds(page: Any, address: str) -> float:
    page.goto(address, wait_until="commit")
    page.wait_for_function("() => window.firstChart !== undefined", timeout=20_000)
    return float(page.evaluate("() => window.firstChart")) / 1000
