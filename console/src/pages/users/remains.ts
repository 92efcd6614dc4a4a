// What a user still has when all roles of its own are removed: by access rules, by what everyone has, and where the user
// stays a member. Nothing here knows the page.
import type { components } from 'zerohop/client'

type Line = components['schemas']['AccessLine']
type Flip = components['schemas']['AccessDiff']['access']['lost']['first'][number]

/** An access rule that still gives something, and what. */
export interface RemainingRule {
  /** `finance-staff × small-invoices` */
  readonly rule: string
  /** `invoice:approve`, each once */
  readonly permissions: readonly string[]
  /** whether all of it depends on what is sent with a check */
  readonly isConditional: boolean
}

/**
 * The access rules whose access is not among what is lost.
 * @param lines what the user has now
 * @param lost what the user loses by the removal; more than these may be lost when they are a page
 */
export function listRemaining(lines: readonly Line[], lost: readonly Flip[]): readonly RemainingRule[] {
  const gone = new Set(lost.map(({ action, resource, tenant }) => name(action, resource.type, resource.key, tenant)))
  const rules = new Map<string, Line[]>()
  for (const line of lines) {
    const { source, action, resource, resource_instance: key, tenant, access } = line
    if (source?.kind !== 'set_rule' || action === null || resource === null) continue
    if (access !== 'allowed' && access !== 'conditional') continue
    if (access === 'allowed' && isGone(gone, action, resource, key, tenant)) continue
    const rule = `${source.user_set ?? ''} × ${source.resource_set ?? ''}`
    rules.set(rule, [...(rules.get(rule) ?? []), line])
  }
  return [...rules].map(([rule, own]) => ({
    rule,
    permissions: [...new Set(own.map(({ resource, action }) => `${resource}:${action}`))],
    isConditional: own.every(({ access }) => access === 'conditional'),
  }))
}

const name = (action: string, type: string, key: string | null | undefined, tenant: string): string =>
  JSON.stringify([action, type, key ?? null, tenant])

/** An instance is lost with its type in the tenant; what is so in every tenant is lost when it is in one. */
function isGone(gone: ReadonlySet<string>, action: string, type: string, key: string | null, tenant: string | null) {
  if (tenant === null) {
    const start = JSON.stringify([action, type, null]).slice(0, -1)
    return [...gone].some((each) => each.startsWith(`${start},`))
  }
  return gone.has(name(action, type, key, tenant)) || gone.has(name(action, type, null, tenant))
}
