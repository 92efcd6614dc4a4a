// The first cell of a row: the key, which is a link, and below it the name for people.
import type { ReactNode } from 'react'
import classes from './named-row.module.css'

interface NamedRowProps {
  readonly name: string | undefined
  readonly children: ReactNode
  /** below both, such as that the user is suspended */
  readonly note?: ReactNode
}

export function NamedRow({ name, children, note }: NamedRowProps) {
  return (
    <div className={classes.row}>
      {children}
      {name !== undefined && <span className={classes.name}>{name}</span>}
      {note}
    </div>
  )
}
