"""The emulator, with what it lacks for this test."""

import sys

from ministack.core import iam_evaluator, lambda_runtime
from ministack.services import lambda_svc
from ministack.services.cloudformation import provisioners

match = lambda_svc._match_esm_filter
enforce = iam_evaluator.enforce
pin_request_origin = iam_evaluator.pin_request_origin
kill_workers = lambda_runtime.kill_workers
release_worker = lambda_runtime.release_worker


def match_esm_filter(record, pattern):
    """As Lambda's stream filters do: `exists: false` below an attribute that is not there holds. (As the emulator comes,
    it holds below attributes that are there only.)"""
    known = dict(record) if isinstance(record, dict) else {}
    if isinstance(pattern, dict):
        for key, part in pattern.items():
            if isinstance(part, dict):
                known.setdefault(key, {})
    return match(known, pattern)


def enforce_iam(*args, **kwargs):
    """Every role has the rights of its policies and no others, but for those of CDK's bootstrap: they are bound to
    conditions on keys that the emulator does not know, such as `aws:ResourceAccount`."""
    denied = enforce(*args, **kwargs)
    if "/cdk-hnb659fds-" in getattr(denied, "principal_arn", ""):
        return None
    if denied:
        print(f"denied: {denied}", file=sys.stderr, flush=True)
    return denied


def pin_as_if_encrypted(source_ip, _):
    """The emulator speaks HTTP only, and the queues take requests by HTTPS alone."""
    pin_request_origin(source_ip, True)


def kill_idle_workers(workers):
    """As Lambda does: what is at work when its function is changed ends its work. (The emulator would kill it.)"""
    known = [worker for worker in workers if worker is not None]
    for worker in known:
        worker.is_retired = worker.in_use
    kill_workers([worker for worker in known if not worker.in_use])


def release_or_retire_worker(worker):
    release_worker(worker)
    if getattr(worker, "is_retired", False):
        kill_workers([worker])


def create_query(logical_id, _, stack_name):
    """The emulator has no saved queries of Logs Insights: one is made up, and never asked for."""
    return f"{stack_name}-{logical_id}", {}


provisioners._RESOURCE_HANDLERS["AWS::Logs::QueryDefinition"] = {
    "create": create_query,
    "update": lambda physical_id, *_: (physical_id, {}),
    "delete": lambda *_: None,
}
lambda_svc._match_esm_filter = match_esm_filter
iam_evaluator.enforce = enforce_iam
iam_evaluator.pin_request_origin = pin_as_if_encrypted
lambda_runtime.kill_workers = kill_idle_workers
lambda_svc.release_worker = release_or_retire_worker

if __name__ == "__main__":
    from ministack.app import main

    sys.exit(main())
