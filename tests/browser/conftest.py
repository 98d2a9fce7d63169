"""A browser without network, and the pages to look at."""

import pytest

import needs
from causalassay.analysis.report.files import write_report
from report_stores import write_attacked, write_store

ARGUMENTS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--no-first-run",
)


class Sight:
    """An open page, and all that it said and asked for.

    Parameters
    ----------
    page : Page
    messages : list of str
        What went to the console, errors of scripts and dialogs included.
    requests : list of str
        Addresses other than the page's own file and what it made itself.
    """

    def __init__(self, page, path):
        self.page, self.messages, self.requests = page, [], []
        page.on("console", lambda message: self.messages.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.messages.append(f"error: {error}"))
        page.on("dialog", self._refuse)
        page.on("request", lambda request: self._note(request.url))
        self.address = path.as_uri()
        page.goto(self.address)
        page.evaluate("causalassay.drawn")

    def draw_all(self):
        """Choose every figure of every kind once, so that each chart is drawn."""
        for chooser in self.page.locator("[data-chooser]").all():
            for option in chooser.locator("option").all():
                chooser.select_option(option.get_attribute("value"))
                self.page.evaluate("causalassay.drawn")
                yield option.get_attribute("value")

    def _refuse(self, dialog):
        self.messages.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _note(self, address):
        if address != self.address and not address.startswith(("blob:", "data:")):
            self.requests.append(address)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Chromium with a profile of its own; who asks for it is marked `needs("chromium")`."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # A launched browser makes a new profile in the temporary folder and removes it.
        started = playwright.chromium.launch(
            executable_path=needs.browser(),
            args=ARGUMENTS,
            downloads_path=tmp_path_factory.mktemp("downloads"),
        )
        yield started
        started.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """The report of a study with everything in it."""
    return write_report(write_store(tmp_path_factory.mktemp("store")))


@pytest.fixture(scope="session")
def attacked_report(tmp_path_factory):
    """The report of a study whose names are attacks."""
    return write_report(write_attacked(tmp_path_factory.mktemp("attacked")))


@pytest.fixture
def see(browser):
    """A function that opens a page of some width in a fresh, offline context."""
    opened = []

    def open_page(path, width=1280, height=900, **settings):
        context = browser.new_context(
            viewport={"width": width, "height": height}, offline=True, **settings
        )
        opened.append(context)
        return Sight(context.new_page(), path)

    yield open_page
    for context in opened:
        context.close()
