// Who says that a fact is so (docs/claims.md), and what that means for whoever removes it here.
import type { components } from 'zerohop/client'

export type Claims = components['schemas']['RoleAssignment']['claims']
export const HAND = 'hand'

export const sourceText = (by: string): string => (by === HAND ? 'added by hand' : `from ${writerText(by)}`)
const writerText = (by: string): string => (by === 'directory' ? 'the directory' : `sync ${by}`)

/** Whether it can be removed here. */
export const isByHand = (claims: Claims): boolean => claims === undefined || claims.some(({ by }) => by === HAND)
/** Whether it is still there when it was removed here. */
export const isFromOthers = (claims: Claims): boolean => claims?.some(({ by }) => by !== HAND) ?? false

/** `sync app and the directory` */
export function othersText(names: readonly string[]): string {
  const words = names.filter((by) => by !== HAND).map(writerText)
  return words.length < 2 ? (words[0] ?? 'elsewhere') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** Why something cannot be removed here. */
export const notHereText = (names: readonly string[]): string =>
  `This comes from ${othersText(names)}, which would add it again. Remove it there. To deny a user all access at once, suspend the user.`

/** What is left of something that is removed here. */
export const keptText = (names: readonly string[]): string =>
  `It also comes from ${othersText(names)}, and stays until it is removed there. Only what was added by hand is removed now.`

/** The names of those who claim what was to be removed, as an answer of the API has them. */
export function claimsIn(body: unknown): readonly string[] | undefined {
  const { additional_info: info } = (body ?? {}) as { readonly additional_info?: { readonly claims?: unknown } | null }
  return Array.isArray(info?.claims) ? info.claims.map(String) : undefined
}

/** What a delete has done: what others claim is still there. */
export const deletedText = (name: string, claims: Claims): string =>
  isFromOthers(claims) ? `${name} is no longer added by hand` : `${name} deleted`

type Member = Pick<components['schemas']['User'], 'associated_tenants' | 'roles'>

/** Who claims that the user belongs to the tenant, as the list of its users says it. */
export const claimsOfMembership = ({ associated_tenants: tenants }: Member, tenant: string): Claims =>
  tenants.find((one) => one.tenant === tenant)?.claims

/** Who claims that, or a role in the tenant: that is left when the member is removed by hand. */
export function claimsInTenant(user: Member, tenant: string): Claims {
  const roles = user.roles.filter((one) => one.tenant === tenant).map(({ claims }) => claims)
  const names = new Set(
    [claimsOfMembership(user, tenant), ...roles].flatMap((claims) => claims ?? [{ by: HAND }]).map(({ by }) => by),
  )
  return names.size === 1 && names.has(HAND) ? undefined : Array.from(names, (by) => ({ by }))
}
