// Lists in an environment that has what the client does not know (scripts/clients/grants.mjs): it reads them all.
package io.permit.sdk.e2e;

import static org.junit.jupiter.api.Assertions.*;

import io.permit.sdk.Permit;
import io.permit.sdk.PermitE2ETestBase;
import io.permit.sdk.enforcement.Resource;
import io.permit.sdk.enforcement.User;
import io.permit.sdk.openapi.models.UserRead;
import org.junit.jupiter.api.Test;

public class ReadersE2ETest extends PermitE2ETestBase {
    @Test
    void lists() throws Exception {
        Permit permit = new Permit(this.config);
        assertEquals(5, permit.api.roleAssignments.list().length);
        UserRead[] users = permit.api.users.list().data.toArray(new UserRead[0]);
        assertEquals(4, users.length);
        for (UserRead user : users) {
            assertEquals(user.id, permit.api.users.get(user.key).id);
            permit.api.users.getAssignedRoles(user.key);
        }
        assertEquals(3, permit.api.tenants.listTenantUsers("ledgers").data.size());
        assertEquals(1, permit.api.relationshipTuples.list().length);
        assertEquals(1, permit.api.conditionSetRules.list().length);
        permit.api.roles.list();
    }

    @Test
    void checks() throws Exception {
        Permit permit = new Permit(this.config);
        Resource audited = new Resource.Builder("ledger").withTenant("ledgers").build();
        assertTrue(permit.check(User.fromString("until"), "audit", audited));
        assertFalse(permit.check(User.fromString("suspended"), "audit", audited));
        assertTrue(permit.check(User.fromString("nobody-stored"), "audit", audited));
    }
}
