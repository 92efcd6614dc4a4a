// What the addresses of the pages of tenants say.

export interface TenantsSearch {
  readonly search?: string
  readonly page?: number
}

export const TENANT_TABS = [
  { id: 'members', label: 'Members' },
  { id: 'roles', label: 'Own roles' },
  { id: 'details', label: 'Details' },
] as const
type TenantTab = (typeof TENANT_TABS)[number]['id']

export interface TenantSearch {
  readonly tab?: TenantTab
  /** of the members: a part of key, name or email */
  readonly search?: string
  /** of the members: only those with this role here */
  readonly role?: string
  readonly page?: number
}
