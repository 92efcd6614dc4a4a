// A rule that gives a role to the members of groups of a directory (docs/scim.md). What it gives are role assignments with
// the claim `directory`: decisions know of no rule.
import { foldCase } from '../model/fold-case.ts'
import type { Stored } from '../model/objects.ts'
import type { DirectoryGroup } from './directory-group.ts'
import { every, type Kind, roleKeyIn } from './kind.ts'
import type { TimesPolicy } from './times.ts'

export const GROUP_RULE_FIELDS = ['display_name', 'external_id'] as const
export const GROUP_RULE_MATCHES = ['exact', 'prefix'] as const

/** Which groups of a directory. */
export interface GroupPattern {
  readonly by: (typeof GROUP_RULE_FIELDS)[number]
  readonly match: (typeof GROUP_RULE_MATCHES)[number]
  readonly value: string
}

/** `key` is the id. */
export interface GroupRule extends Stored, TimesPolicy {
  readonly group: GroupPattern
  /** of a tenant role its key, of a role on instances that without its resource type */
  readonly role: string
  readonly tenant: string
  readonly resource_instance: string | null
}

/** Whether the pattern selects the group: letter case counts in external ids alone. */
export function selectsGroup({ by, match, value }: GroupPattern, group: DirectoryGroup): boolean {
  const [stored, wanted] =
    by === 'external_id' ? [group.external_id, value] : [foldCase(group.display_name), foldCase(value)]
  if (stored === null) return false
  return match === 'exact' ? stored === wanted : stored.startsWith(wanted)
}

export const groupRule = {
  number: 36,
  newerNumbers: { directory: 100 },
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    every_group_rule: every,
    group_rules_of_role: ({ role, resource_instance: instance }) => [roleKeyIn(role, instance)],
    group_rules_of_tenant: ({ tenant }) => [tenant],
    group_rules_on_instance: ({ resource_instance: instance }) => (instance === null ? [] : [instance]),
  },
  projection: null,
  inFiles: null,
} as const satisfies Kind<'group_rule', GroupRule>
