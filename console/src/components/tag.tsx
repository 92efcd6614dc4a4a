// A short name beside others, such as a role or an action; a link where there is something to open.
import type { ReactNode } from 'react'
import classes from './tag.module.css'

export function Tag({ children }: { readonly children: ReactNode }) {
  return <span className={classes.tag}>{children}</span>
}

/** Tags in a row, which wraps. */
export function Tags({ children }: { readonly children: ReactNode }) {
  return <span className={classes.tags}>{children}</span>
}

/** For links that look like a tag. */
export const tagLink = `${classes.tag} ${classes.link}`
