// Words for who has a role: a user, or everyone (D16).

/** Stands in an assignment for everyone. */
export const EVERYBODY = '*'

export const EVERYBODY_WARNING = 'Everyone includes unknown users and people who are not signed in.'

/** Who asked: a user, or whoever is not signed in. */
export const askerName = (user: string): string => (user === EVERYBODY ? '(not signed in)' : user)

/** In sentences. */
export const holderName = (user: string): string => (user === EVERYBODY ? 'everyone' : user)

/** What it means that tenants can assign a role. */
export const TENANTS_ABOUT = "With an API key of their own, a tenant's administrators can give it in their tenant."

/** What it means that tenants can extend a role, */
export const EXTENDABLE_ABOUT = 'Roles that tenants make can include all that it allows, now and later.'
/** and that they can grant an action. */
export const GRANTABLE_ABOUT = 'Roles that tenants make can allow it.'
