"""For every promise of the README's privacy section, the test that fails when it is broken."""
