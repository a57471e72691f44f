"""A service that has nothing but boto3 and the rights of a producer. Prints what it was refused."""

import json
import sys

import boto3
from boto3.dynamodb.conditions import Key
from botocore.exceptions import ClientError

table_name, role, items = sys.argv[1:4]
credentials = boto3.client("sts").assume_role(RoleArn=role, RoleSessionName="orders")["Credentials"]
session = boto3.Session(
    aws_access_key_id=credentials["AccessKeyId"],
    aws_secret_access_key=credentials["SecretAccessKey"],
    aws_session_token=credentials["SessionToken"],
)
table = session.resource("dynamodb").Table(table_name)
for item in json.loads(items):
    table.put_item(Item=item)

refused = []
for name, request in {
    "Query": lambda: table.query(IndexName="due", KeyConditionExpression=Key("lane").eq("default")),
    "Scan": lambda: table.scan(),
    "UpdateItem": lambda: table.update_item(Key={"id": "py-good"}, UpdateExpression="REMOVE payload"),
    "DeleteItem": lambda: table.delete_item(Key={"id": "py-good"}),
}.items():
    try:
        request()
    except ClientError as error:
        if error.response["Error"]["Code"] != "AccessDeniedException":
            raise
        refused.append(name)
print(json.dumps(refused))
