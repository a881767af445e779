"""The openai SDK as both of its voices use it: no retries, no key, no headers of its own."""

import httpx2
import openai

from app.providers.asking import NO_KEY, SdkErrors

ERRORS = SdkErrors(openai.APIStatusError, openai.APITimeoutError, openai.APIConnectionError)


class OpenAISdk(openai.OpenAI):
    """The SDK over a client of ours, which sends its own headers: those the SDK would make are dropped anyway."""

    def __init__(self, base_url: str, client: httpx2.Client) -> None:
        super().__init__(api_key=NO_KEY, base_url=base_url, max_retries=0, http_client=client)

    @property
    def default_headers(self) -> dict[str, str | openai.Omit]:
        """None."""
        return {}

    def post_exactly(self, address: str, content: bytes) -> httpx2.Response:
        """Post bytes as they stand, without the SDK's slower typed path, which copies what it is not told."""
        return self.post(
            address,
            content=content,
            cast_to=httpx2.Response,
            options={"max_retries": 0, "timeout": None, "params": {}, "headers": {}},
        )
