// The first few keys of many, as tags, and how many there are besides.

import classes from './tag.module.css'
import { Tag, Tags } from './tag.tsx'

const SHOWN = 6

interface FewTagsProps {
  readonly keys: readonly string[]
  /** in the place of no keys */
  readonly none?: string
}

export function FewTags({ keys, none = '' }: FewTagsProps) {
  const more = keys.length - SHOWN
  if (keys.length === 0) return none
  return (
    <Tags>
      {keys.slice(0, SHOWN).map((key) => (
        <Tag key={key}>{key}</Tag>
      ))}
      {more > 0 && <span className={classes.more}>and {more} more</span>}
    </Tags>
  )
}
