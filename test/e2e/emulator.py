"""The emulator, with stream filters that match as Lambda's do: `exists: false` below an attribute that is not there
holds. (As it comes, it holds below attributes that are there only.)"""

import sys

from ministack.services import lambda_svc

match = lambda_svc._match_esm_filter


def match_esm_filter(record, pattern):
    known = dict(record) if isinstance(record, dict) else {}
    if isinstance(pattern, dict):
        for key, part in pattern.items():
            if isinstance(part, dict):
                known.setdefault(key, {})
    return match(known, pattern)


lambda_svc._match_esm_filter = match_esm_filter

if __name__ == "__main__":
    from ministack.app import main

    sys.exit(main())
