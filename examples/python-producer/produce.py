"""Puts orders into the backlog. { id, status: "NEW", payload } is all that a producer has to know.

    python produce.py order-1 order-2
"""

import os
import sys

import boto3

table = boto3.resource("dynamodb").Table(os.environ.get("BACKLOG_TABLE", "BacklogRecords"))


def insert(record_id: str, payload: dict, queue: str = "default") -> bool:
    """False if there is a record with this id already: it is left alone, and inserting again does no harm."""
    try:
        table.put_item(
            Item={"id": record_id, "status": "NEW", "payload": payload, "queue": queue},
            ConditionExpression="attribute_not_exists(id)",
        )
    except table.meta.client.exceptions.ConditionalCheckFailedException:
        return False
    return True


if __name__ == "__main__":
    for order in sys.argv[1:]:
        print(order, "inserted" if insert(order, {"order": order, "total": 12}) else "was there already")
