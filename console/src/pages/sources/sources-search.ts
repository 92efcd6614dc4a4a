// What the address of the page Sources says.

export const SOURCE_TABS = [
  { id: 'rules', label: 'Group rules' },
  { id: 'groups', label: 'Groups' },
  { id: 'syncs', label: 'Syncs' },
] as const

export interface SourcesSearch {
  readonly tab?: (typeof SOURCE_TABS)[number]['id']
  /** of the groups: a part of the name or external id */
  readonly search?: string
  readonly page?: number
}
