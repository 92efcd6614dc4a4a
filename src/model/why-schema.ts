// The form of an explanation for people as a JSON schema: for documents and tests. why.ts has the types.
import { described, enumOf, Flag, listOf, named, open, optional, schemaOf, Text } from './json-schema.ts'
import type { WhyNode } from './why.ts'

const Outcome = enumOf('allow', 'deny', 'met', 'unmet', 'note')

/** A tree of so many levels below its root. */
const nodeOf = (levels: number): ReturnType<typeof schemaOf<WhyNode>> =>
  open({
    text: Text,
    outcome: Outcome,
    children: levels === 0 ? listOf(schemaOf<WhyNode>({}), 0) : listOf(nodeOf(levels - 1)),
  }) as unknown as ReturnType<typeof schemaOf<WhyNode>>

/** Levels of the tree: the answer, its ways, the sets of a rule, their tests. */
export const WHY_LEVELS = 4

export const WhySchema = named(
  'Why',
  open({
    allow: Flag,
    revision: schemaOf<number>({ type: 'integer' }),
    user: Text,
    action: Text,
    resource: open({ type: Text, key: optional(Text) }),
    tenant: described(Text, 'tenant of the check'),
    tree: described(nodeOf(WHY_LEVELS - 1), 'the answer; its children are the ways to access, the nearest first'),
  }),
)
