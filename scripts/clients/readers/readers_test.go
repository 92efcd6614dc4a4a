// Lists in an environment that has what the client does not know (scripts/clients/grants.mjs): it reads them all.
package tests

import (
	"context"
	"os"
	"testing"

	"github.com/permitio/permit-golang/pkg/config"
	"github.com/permitio/permit-golang/pkg/enforcement"
	"github.com/permitio/permit-golang/pkg/permit"
	"github.com/stretchr/testify/assert"
)

func TestReaders(t *testing.T) {
	ctx := context.Background()
	client := permit.NewPermit(config.NewConfigBuilder(os.Getenv("PDP_API_KEY")).
		WithPdpUrl(os.Getenv("PDP_URL")).
		WithApiUrl(os.Getenv("API_URL")).
		Build())
	assigned, err := client.Api.RoleAssignments.List(ctx, 1, 100, "", "", "")
	assert.NoError(t, err)
	assert.Len(t, *assigned, 5)
	detailed, err := client.Api.RoleAssignments.ListDetailed(ctx, 1, 100, "", "", "")
	assert.NoError(t, err)
	assert.Len(t, *detailed, 5)
	users, err := client.Api.Users.List(ctx, 1, 100)
	assert.NoError(t, err)
	assert.Len(t, users, 4)
	for _, user := range users {
		found, err := client.Api.Users.Get(ctx, user.Key)
		assert.NoError(t, err)
		assert.Equal(t, user.Id, found.Id)
		_, err = client.Api.Users.GetAssignedRoles(ctx, user.Key, "ledgers", 1, 100)
		assert.NoError(t, err)
	}
	inTenant, err := client.Api.Tenants.ListTenantUsers(ctx, "ledgers", 1, 100)
	assert.NoError(t, err)
	assert.Len(t, inTenant, 3)
	tuples, err := client.Api.RelationshipTuples.List(ctx, 1, 100, "", "", "", "")
	assert.NoError(t, err)
	assert.Len(t, *tuples, 1)
	_, err = client.Api.Roles.List(ctx, 1, 100)
	assert.NoError(t, err)

	ledger := enforcement.ResourceBuilder("ledger").WithTenant("ledgers").Build()
	for user, expected := range map[string]bool{"until": true, "suspended": false, "nobody-stored": true} {
		allowed, err := client.Check(enforcement.UserBuilder(user).Build(), "audit", ledger)
		assert.NoError(t, err)
		assert.Equal(t, expected, allowed, user)
	}
}
