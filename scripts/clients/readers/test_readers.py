# Lists in an environment that has what the client does not know (scripts/clients/grants.mjs): it reads them all.
from permit import Permit


async def test_lists(permit: Permit):
    api = permit.api
    assigned = await api.role_assignments.list()
    assert sorted(one.user for one in assigned) == ["*", "*", "from", "suspended", "until"]
    for user in [one.user for one in assigned if one.user != "*"]:
        assert [one.user for one in await api.users.get_assigned_roles(user)] == [user]
    users = (await api.users.list()).data
    assert sorted(one.key for one in users) == ["ended", "from", "suspended", "until"]
    for one in users:
        assert (await api.users.get(one.key)).id == one.id
    assert len((await api.tenants.list_tenant_users("ledgers")).data) == 3
    assert [one.object for one in await api.relationship_tuples.list()] == ["ledger:open"]
    assert len(await api.condition_set_rules.list()) == 1
    assert "auditor" in [one.key for one in await api.roles.list()]
    assert len((await api.resources.get("ledger")).roles) == 1


async def test_checks(permit: Permit):
    audit = {"type": "ledger", "tenant": "ledgers"}
    assert await permit.check("until", "audit", audit)
    assert not await permit.check("suspended", "audit", audit)
    assert await permit.check("nobody-stored", "audit", audit)
    assert not await permit.check("until", "audit", {"type": "ledger", "tenant": "default"})
