"""Settings for schemathesis: bodies of batches are text, sent as it is."""

import schemathesis


@schemathesis.serializer("application/x-ndjson", "application/jsonl")
def lines(ctx, value):
    return value if isinstance(value, bytes) else str(value).encode()
