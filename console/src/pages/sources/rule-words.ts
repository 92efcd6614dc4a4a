// Rules for groups, in words.
import type { GroupRule } from './source-queries.ts'

export const BY_WORDS = { display_name: 'Display name', external_id: 'External id' } as const
export const MATCH_WORDS = { exact: 'is', prefix: 'begins with' } as const

/** `Engineering`, `external id eu-…` */
export function patternText({ by, match, value }: GroupRule['group']): string {
  return `${by === 'external_id' ? 'external id ' : ''}${value}${match === 'prefix' ? '…' : ''}`
}

/** `in acme`, `on document:plan` */
export const placeText = ({ tenant, resource_instance: instance }: Pick<GroupRule, 'tenant' | 'resource_instance'>) =>
  instance === null ? `in ${tenant}` : `on ${instance}`

/** What the rule gives to whom, as the name of it: `editor in acme for Engineering` */
export const ruleText = (rule: GroupRule): string => `${rule.role} ${placeText(rule)} for ${patternText(rule.group)}`
