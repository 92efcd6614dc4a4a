// How policy files hold each of their kinds. Most are kinds of stored objects, which say so themselves (src/kinds); those
// that are only a part of a stored object are here.

import { KINDS, type KindName, type PlainKind, type WholeKind } from '../../kinds/index.ts'
import type { InFiles } from '../../kinds/kind.ts'
import { type FactKind, POLICY_KINDS, type PolicyKind } from '../../model/policy-kinds.ts'

/** Declared attributes and actions, which are stored in their resource type or in that of users or of tenants. */
const INSIDE = {
  user_attribute: { section: 'user_attributes', isFact: false, key: 'own' },
  tenant_attribute: { section: 'tenant_attributes', isFact: false, key: 'own' },
  action: { section: 'actions', isFact: false, key: 'part' },
  attribute: { section: 'attributes', isFact: false, key: 'part' },
} as const satisfies { readonly [K in Exclude<PolicyKind, KindName>]: InFiles }

export const isWhole = (kind: PolicyKind): kind is WholeKind => !Object.hasOwn(INSIDE, kind)

type InFilesByKind = typeof INSIDE & { readonly [K in WholeKind]: (typeof KINDS)[K]['inFiles'] }

/** By kind, in the order of kinds in a file. */
export const IN_FILES = Object.fromEntries(
  POLICY_KINDS.map((kind) => [kind, isWhole(kind) ? KINDS[kind].inFiles : INSIDE[kind as keyof typeof INSIDE]]),
) as InFilesByKind

/** Names of the lists of a file: those of its schema, or those of its facts. */
export type ListName<IsFact extends boolean, Of extends WholeKind = WholeKind> = {
  [K in Of]: InFilesByKind[K] extends { readonly key: 'own' | 'connects'; readonly isFact: IsFact }
    ? InFilesByKind[K]['section']
    : never
}[Of]
/** In the order of kinds in a file. */
export const LIST_NAMES: readonly ListName<boolean>[] = POLICY_KINDS.flatMap((kind) =>
  isWhole(kind) && KINDS[kind].inFiles.key !== 'part' ? [KINDS[kind].inFiles.section as ListName<boolean>] : [],
)
/** Those of plain kinds. */
export type PlainListName<IsFact extends boolean> = ListName<IsFact, PlainKind>

type KindsWith<Key extends InFiles['key']> = {
  [K in PolicyKind]: InFilesByKind[K]['key'] extends Key ? K : never
}[PolicyKind]

/** Kinds of parts of a resource type: their keys are `resource/part`. */
export type PartInFiles = KindsWith<'part'>
/** Kinds whose objects are what they connect: they have no key that could change alone. */
export type ConnectingKind = KindsWith<'connects'>
/** Those of them that are facts: their objects can carry fields besides, and those can change. */
export type ConnectingFact = ConnectingKind & FactKind

export const isPart = (kind: PolicyKind): kind is PartInFiles => IN_FILES[kind].key === 'part'
export const isConnecting = (kind: PolicyKind): kind is ConnectingKind => IN_FILES[kind].key === 'connects'
export const isConnectingFact = (kind: PolicyKind): kind is ConnectingFact =>
  isConnecting(kind) && IN_FILES[kind].isFact
/** Kinds of lists whose objects are called by their member `key` alone. */
export type ListedKind = Exclude<KindsWith<'own'> & WholeKind, 'resource_instance'>
export type ListedSection = InFilesByKind[ListedKind]['section']
export const LISTED_KINDS = POLICY_KINDS.filter(
  (kind): kind is ListedKind => isWhole(kind) && IN_FILES[kind].key === 'own' && kind !== 'resource_instance',
)
export const isPolicyKind = (kind: string): kind is PolicyKind => Object.hasOwn(IN_FILES, kind)
export const PART_KINDS: readonly PartInFiles[] = POLICY_KINDS.filter(isPart)
