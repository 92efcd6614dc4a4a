// What the addresses of the pages of users say.
import type { Unused } from '../../components/unused-times.ts'

export interface UsersSearch {
  readonly search?: string
  /** only those with this role */
  readonly role?: string
  /** only those of this tenant */
  readonly tenant?: string
  readonly page?: number
  /** roles that were not used for this time, one in a row, in the place of users */
  readonly unused?: Unused
  /** of these: where the page begins */
  readonly after?: string
}

export const USER_TABS = [
  { id: 'roles', label: 'Roles' },
  { id: 'permissions', label: 'Permissions' },
  { id: 'details', label: 'Details' },
] as const
export type UserTab = (typeof USER_TABS)[number]['id']

export interface UserSearch {
  readonly tab?: UserTab
  readonly page?: number
  /** of the permissions: only in this tenant */
  readonly tenant?: string
  /** of the permissions: resources and actions that contain this */
  readonly search?: string
}
