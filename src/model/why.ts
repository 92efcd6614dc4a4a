// The form of an explanation for people: why a question is allowed, or what would allow it, as a tree of sentences. It
// is made by src/image/explain/why-tree.ts and is the same on the command line, in a failed policy test and over HTTP
// (why-schema.ts). The sentences are for reading: programs read the codes of `explain` (docs/semantics.md).

/**
 * What a sentence says: the answer (`allow`, `deny`); a way that allows or a test that holds (`met`); what is missing
 * (`unmet`); or a remark.
 */
export type WhyOutcome = 'allow' | 'deny' | 'met' | 'unmet' | 'note'

export interface WhyNode {
  readonly text: string
  readonly outcome: WhyOutcome
  readonly children: readonly WhyNode[]
}

export interface Why {
  readonly allow: boolean
  readonly revision: number
  readonly user: string
  readonly action: string
  readonly resource: { readonly type: string; readonly key?: string }
  /** the tenant in which it was decided */
  readonly tenant: string
  /** the answer; its children are the ways, the nearest first */
  readonly tree: WhyNode
}
