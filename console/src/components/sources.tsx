// Where a fact is from, where another than a person says it: a sync, or the directory. Nothing for what was made by hand.
import { type Claims, HAND, sourceText } from '../api/claims.ts'
import type { Field } from './object-draft.ts'
import classes from './sources.module.css'
import { Tag } from './tag.tsx'

export function Sources({ claims = [] }: { readonly claims?: Claims }) {
  return claims.map(({ by }) => (
    <span key={by}>
      {' '}
      <Tag>{sourceText(by)}</Tag>
    </span>
  ))
}

/** The same inside of a tag. */
export function TagSources({ claims = [] }: { readonly claims?: Claims }) {
  return (
    claims.length > 0 && <span className={classes.inside}> {claims.map(({ by }) => sourceText(by)).join(', ')}</span>
  )
}

const ATTRIBUTES = 'attributes.'

/** The fields of a form, each with who else sets it. */
export function withSources(fields: readonly Field[], claims: Claims = []): readonly Field[] {
  return fields.map((field) => {
    const notes = claims.flatMap(({ by, fields: set = [] }) => {
      if (by === HAND) return []
      const inside = set
        .filter((name) => name.startsWith(`${field.name}.`))
        .map((name) => name.slice(ATTRIBUTES.length))
      if (!set.includes(field.name) && inside.length === 0) return []
      const what = inside.length === 0 ? 'This' : inside.join(', ')
      return [`${what} ${inside.length > 1 ? 'come' : 'comes'} ${sourceText(by)}, which writes it again.`]
    })
    return notes.length === 0
      ? field
      : { ...field, description: [field.description, ...notes].filter(Boolean).join(' ') }
  })
}
