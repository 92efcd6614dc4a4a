// The form of an explanation for people: why a question is allowed, or what would allow it, as a tree of sentences. It is
// made by src/image/explain/why-tree.ts and is the same on the command line, in a failed policy test and over HTTP. The
// sentences are for reading: programs read the codes of `explain` (docs/semantics.md).
import { described, enumOf, Flag, maybe, named, open, type Static, schemaOf, Text } from './json-schema.ts'

/**
 * What a sentence says: the answer (`allow`, `deny`); a way that allows or a test that holds (`met`); what is missing
 * (`unmet`); or a remark.
 */
const Outcome = enumOf('allow', 'deny', 'met', 'unmet', 'note')
export type WhyOutcome = Static<typeof Outcome>

export interface WhyNode {
  readonly text: string
  readonly outcome: WhyOutcome
  readonly children: readonly WhyNode[]
}

/** A tree of so many levels below its root. */
const nodeOf = (levels: number) =>
  open({
    text: Text,
    outcome: Outcome,
    children: schemaOf<readonly WhyNode[]>({
      type: 'array',
      ...(levels === 0 ? { items: {}, maxItems: 0 } : { items: nodeBelow(levels) }),
    }),
  })
const nodeBelow = (levels: number): object => nodeOf(levels - 1)

/** Levels of the tree: the answer, its ways, the sets of a rule, their tests. */
export const WHY_LEVELS = 4

export const Why = named(
  'Why',
  open({
    allow: Flag,
    revision: schemaOf<number>({ type: 'integer' }),
    user: Text,
    action: Text,
    resource: open({ type: Text, key: maybe(Text) }),
    tenant: described(Text, 'the tenant in which it was decided'),
    tree: described(nodeOf(WHY_LEVELS - 1), 'the answer; its children are the ways, the nearest first'),
  }),
)
export type Why = Static<typeof Why>
