// What the addresses of the pages of instances say.

export interface InstancesSearch {
  /** a part of `type:key` */
  readonly search?: string
  /** only of this type */
  readonly resource?: string
  readonly tenant?: string
  readonly page?: number
}

export const INSTANCE_TABS = [
  { id: 'relations', label: 'Relations' },
  { id: 'roles', label: 'Roles' },
  { id: 'access', label: 'Who has access' },
  { id: 'details', label: 'Details' },
] as const
type InstanceTab = (typeof INSTANCE_TABS)[number]['id']

export interface InstanceSearch {
  readonly tab?: InstanceTab
  /** of those who may: what they may do */
  readonly action?: string
  /** of the roles */
  readonly page?: number
}
