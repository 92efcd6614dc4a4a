// What the addresses of the pages of resources say.

export const LIST_TABS = [
  { id: 'list', label: 'List' },
  { id: 'graph', label: 'Graph' },
] as const
type ListTab = (typeof LIST_TABS)[number]['id']

export interface ResourcesSearch {
  readonly tab?: ListTab
  readonly search?: string
  readonly page?: number
  /** of the graph: the type in its middle */
  readonly around?: string
}

export const RESOURCE_TABS = [
  { id: 'actions', label: 'Actions' },
  { id: 'attributes', label: 'Attributes' },
  { id: 'roles', label: 'Roles' },
  { id: 'relations', label: 'Relations' },
  { id: 'details', label: 'Details' },
] as const
export type ResourceTab = (typeof RESOURCE_TABS)[number]['id']

export interface ResourceSearch {
  readonly tab?: ResourceTab
}
