// The frame of a page: its title, what it is for, its actions, its help. The title takes the focus when a page is
// opened, so that screen readers say where one is.

import HELP_TITLES from 'virtual:help-titles'
import { type ReactNode, useEffect, useRef } from 'react'
import { useDocumentTitle } from './document-title.ts'
import classes from './page.module.css'
import { PageHelp } from './page-help.tsx'

interface PageProps {
  readonly title: string
  /** link to the list that what is shown is part of */
  readonly parent?: ReactNode
  readonly description?: ReactNode
  /** the section of docs/console.md about this page; the title when absent */
  readonly help?: string
  /** buttons, at the right of the title */
  readonly actions?: ReactNode
  /** pages of lists and matrices take all the room, pages of text and forms do not */
  readonly isWide?: boolean
  readonly children: ReactNode
}

export function Page({ title, parent, description, actions, help = title, isWide = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useDocumentTitle(title)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <div className={classes.page} data-wide={isWide || undefined}>
      <header className={classes.header}>
        <div className={classes.words}>
          {parent !== undefined && <nav aria-label="Part of">{parent}</nav>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {description !== undefined && <p className={classes.description}>{description}</p>}
        </div>
        <div className={classes.actions}>
          {actions}
          {HELP_TITLES.includes(help) && <PageHelp title={help} />}
        </div>
      </header>
      {children}
    </div>
  )
}
