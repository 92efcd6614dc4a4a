package authz

# data: { "users": { user: { tenant: [role] } }, "roles": { role: { resource: { action: true } } } }
default allow := false

allow if {
	some role in data.users[input.user][input.tenant]
	data.roles[role][input.resource][input.action]
}
