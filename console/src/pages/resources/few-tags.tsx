// The first few keys of many, as tags, and how many there are besides.
import { Tag, Tags } from '../../components/tag.tsx'
import classes from './resources.module.css'

const SHOWN = 6

export function FewTags({ keys }: { readonly keys: readonly string[] }) {
  const more = keys.length - SHOWN
  return (
    <Tags>
      {keys.slice(0, SHOWN).map((key) => (
        <Tag key={key}>{key}</Tag>
      ))}
      {more > 0 && <span className={classes.more}>and {more} more</span>}
    </Tags>
  )
}
