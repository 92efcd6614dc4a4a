// What was typed about a set, and which fields differ from the stored ones: only these are sent.
import type { Conditions } from './condition-model.ts'
import { printText } from './conditions-text.ts'

export interface SetDraft {
  /** of the conditions, as it was typed */
  readonly text: string
  readonly name: string
  readonly description: string
  /** key of the parent; empty without one */
  readonly parent: string
}

interface Stored {
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly conditions: { readonly [member: string]: unknown }
  readonly parent: string
}

export function makeDraft({ name, description, conditions, parent }: Stored): SetDraft {
  return { text: printText(conditions as Conditions), name, description: description ?? '', parent }
}

/**
 * The body of the write: the fields that differ. The order of members says nothing in JSON, yet is kept as it is typed.
 */
export function changedFields(draft: SetDraft, stored: Stored, conditions: Conditions): Record<string, unknown> {
  const name = draft.name.trim() || stored.key
  const description = draft.description.trim() || null
  const parent = draft.parent.trim()
  return {
    ...(JSON.stringify(conditions) === JSON.stringify(stored.conditions) ? {} : { conditions }),
    ...(name === stored.name ? {} : { name }),
    ...(description === stored.description ? {} : { description }),
    ...(parent === stored.parent ? {} : { parent_id: parent || null }),
  }
}

/** The draft on another state of the set: what was changed stays, the other fields are as stored there. */
export function rebased(draft: SetDraft, base: Stored, stored: Stored): SetDraft {
  const [before, now] = [makeDraft(base), makeDraft(stored)]
  const pick = (name: keyof SetDraft) => (draft[name] === before[name] ? now : draft)[name]
  return { text: pick('text'), name: pick('name'), description: pick('description'), parent: pick('parent') }
}
