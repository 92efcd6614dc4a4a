// The form of an explanation for people as a JSON schema: for documents and tests. why.ts has the types.
import * as t from './json-schema.ts'
import type { WhyNode } from './why.ts'

const Outcome = t.enumOf('allow', 'deny', 'met', 'unmet', 'note')

/** A tree of so many levels below its root. */
const makeNode = (levels: number): ReturnType<typeof t.schemaOf<WhyNode>> =>
  t.open({
    text: t.Text,
    outcome: Outcome,
    children: levels === 0 ? t.listOf(t.schemaOf<WhyNode>({}), 0) : t.listOf(makeNode(levels - 1)),
  }) as unknown as ReturnType<typeof t.schemaOf<WhyNode>>

/** Levels of the tree: the answer, its ways, the sets of a rule, their tests. */
export const WHY_LEVELS = 4

export const WhySchema = t.named(
  'Why',
  t.open({
    allow: t.Flag,
    revision: t.schemaOf<number>({ type: 'integer' }),
    user: t.Text,
    action: t.Text,
    resource: t.open({ type: t.Text, key: t.optional(t.Text) }),
    tenant: t.described(t.Text, 'tenant of the check'),
    tree: t.described(makeNode(WHY_LEVELS - 1), 'the answer; its children are the ways to access, the nearest first'),
  }),
)
