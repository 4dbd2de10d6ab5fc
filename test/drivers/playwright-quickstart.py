"""The example of Playwright's Python package: only the browser and the addresses of the page and of the picture are others."""

import sys

from playwright.sync_api import sync_playwright

cdp_url, url, path = sys.argv[1:]

with sync_playwright() as p:
    browser = p.chromium.connect_over_cdp(cdp_url)
    page = browser.new_page()
    page.goto(url)
    page.screenshot(path=path)
    browser.close()
