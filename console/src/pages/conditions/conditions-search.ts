// What the address of the list of condition sets says.

export const CONDITION_TABS = [
  { id: 'sets', label: 'Condition sets' },
  { id: 'rules', label: 'Access rules' },
] as const

export interface ConditionsSearch {
  readonly tab?: (typeof CONDITION_TABS)[number]['id']
  readonly type?: 'userset' | 'resourceset'
  readonly search?: string
  readonly page?: number
}
