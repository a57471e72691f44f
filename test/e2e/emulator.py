"""The emulator, with what it lacks for this test."""

import json
import sys

from ministack.core import iam_actions, iam_evaluator, lambda_runtime
from ministack.services import lambda_svc
from ministack.services.cloudformation import provisioners

match = lambda_svc._match_esm_filter
enforce = iam_evaluator.enforce
request_tag_context = iam_actions.request_tag_context
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


def keys_of(request):
    """The keys of the items of the control table that a request names."""
    many = [key for part in request.get("RequestItems", {}).values() if isinstance(part, dict) for key in part.get("Keys", [])]
    return [key["key"]["S"] for key in [*many, request.get("Key", {})] if "key" in key]


def request_context(service, iam_action, body, params):
    """The version of a secret that is read is a key of conditions, too, and so are the keys of items of groups."""
    known = request_tag_context(service, iam_action, body, params)
    if service == "dynamodb":
        keys = keys_of(json.loads(body or b"{}"))
        is_of_groups = keys and all(key.startswith("group") for key in keys)
        return {**known, "dynamodb:leadingkeys": keys} if is_of_groups else known
    if iam_action != "secretsmanager:GetSecretValue":
        return known
    return {**known, "secretsmanager:versionstage": json.loads(body or b"{}").get("VersionStage", "AWSCURRENT")}


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


# Lambda has the files of a function's layers in /opt. The emulator has them in folders of their own, which it names in a
# variable: what a function reads from /opt comes from there.
READ_OPT_FROM_LAYERS = """
{
  const fs = require("fs");
  const readFileSync = fs.readFileSync;
  const folders = (process.env._LAMBDA_LAYERS_DIRS || "").split(":").filter(Boolean);
  fs.readFileSync = (path, ...rest) => {
    const places = String(path).startsWith("/opt/") ? folders.map((folder) => folder + String(path).slice(4)) : [];
    return readFileSync(places.findLast(fs.existsSync) ?? path, ...rest);
  };
  require("module").syncBuiltinESMExports();
}
"""

handlers = provisioners._RESOURCE_HANDLERS
alarm_handlers = handlers["AWS::CloudWatch::Alarm"]
secret_handlers = handlers["AWS::SecretsManager::Secret"]


def make_up(logical_id, _, stack_name):
    """What the emulator does not have, and this test never asks for: saved queries, and composite alarms."""
    return f"{stack_name}-{logical_id}", {"Arn": f"arn:aws:cloudwatch:us-east-1:000000000000:alarm:{logical_id}"}


MADE_UP = {"create": make_up, "update": lambda physical_id, *_: (physical_id, {}), "delete": lambda *_: None}


def create_alarm(logical_id, props, stack_name):
    """The emulator has no metric math."""
    return (make_up if props.get("Metrics") else alarm_handlers["create"])(logical_id, props, stack_name)


def create_secret(*args, **named):
    """A reference to a secret is its ARN. (In the emulator it is the name.)"""
    _, attributes = secret_handlers["create"](*args, **named)
    return attributes["Arn"], attributes


def secret_name(arn):
    return arn.split(":secret:")[1][:-7]


def update_secret(arn, *args, **named):
    _, attributes = secret_handlers["update"](secret_name(arn), *args, **named)
    return arn, attributes


def delete_secret(arn, *args):
    return secret_handlers["delete"](secret_name(arn), *args)


handlers["AWS::SecretsManager::Secret"] = {
    **secret_handlers,
    "create": create_secret,
    "update": update_secret,
    "delete": delete_secret,
}
handlers["AWS::Logs::QueryDefinition"] = MADE_UP
handlers["AWS::CloudWatch::CompositeAlarm"] = MADE_UP
handlers["AWS::CloudWatch::Alarm"] = {**alarm_handlers, "create": create_alarm}
lambda_svc._match_esm_filter = match_esm_filter
iam_evaluator.enforce = enforce_iam
iam_actions.request_tag_context = request_context
iam_evaluator.pin_request_origin = pin_as_if_encrypted
lambda_runtime.kill_workers = kill_idle_workers
lambda_svc.release_worker = release_or_retire_worker
lambda_runtime._NODEJS_WORKER_SCRIPT = READ_OPT_FROM_LAYERS + lambda_runtime._NODEJS_WORKER_SCRIPT

if __name__ == "__main__":
    from ministack.app import main

    sys.exit(main())
