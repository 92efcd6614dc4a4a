"""Runs scim2-tester against a server and prints every result as one line of JSON: status, check, reason."""
import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

url, key = sys.argv[1:3]
client = Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=30)
for result in check_server(SyncSCIMClient(client)):
    kind = result.resource_type or ""
    line = {"status": result.status.name, "check": result.title, "resource": kind, "reason": result.reason}
    print(json.dumps(line))
