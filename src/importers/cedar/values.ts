// Values and names of Cedar that conditions and attributes here can have.
import type { CedarType, Uid } from './schema.ts'

export const MEMBER = /^(?!__proto__)[A-Za-z_][A-Za-z0-9_-]*$/
/** Names that mean something else here. */
export const RESERVED: Readonly<Record<string, ReadonlySet<string>>> = {
  user: new Set(['key', 'roles', 'tenants']),
  resource: new Set(['key', 'type', 'tenant', 'relations']),
  context: new Set(['now']),
}

export const isScalarType = ({ kind }: CedarType): boolean => ['String', 'Long', 'Boolean', 'Entity'].includes(kind)
export const isSameType = (one: CedarType, other: CedarType): boolean =>
  one.kind === other.kind && (one.kind !== 'Entity' || (other.kind === 'Entity' && one.name === other.name))

/** Whether a value of the type is stored as it is. */
export function isReadable(type: CedarType): boolean {
  if (type.kind === 'Set') return isReadable(type.of)
  return type.kind === 'Record'
    ? [...type.members.values()].every((member) => isReadable(member.type))
    : type.kind !== 'Extension'
}

/** Entities that a constant names: one, or a list of them. */
export function toUids(value: unknown): readonly Uid[] | undefined {
  if (Array.isArray(value)) {
    const all = value.map(toUids)
    return all.includes(undefined) ? undefined : all.flatMap((each) => each ?? [])
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { type, id } = ('__entity' in value ? value.__entity : value) as Partial<Uid>
  return typeof type === 'string' && typeof id === 'string' ? [{ type, id }] : undefined
}
