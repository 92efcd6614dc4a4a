// The page of one stored object: where it is listed, its parts as tabs, its stored fields, and deleting it. The part
// `details` is the same for every kind; the page of a kind shows the others.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor, Button } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type Claims, isByHand, isFromOthers, keptText } from '../api/claims.ts'
import { type Edit, ifSame, type Precondition } from '../api/precondition.ts'
import { useMay } from '../api/use-session.ts'
import { DetailsForm } from './details-form.tsx'
import { Dialog } from './dialog.tsx'
import { MissingObject } from './missing-object.tsx'
import type { Field, Stored } from './object-draft.ts'
import { Page } from './page.tsx'
import { NotHere, namesOf } from './removal-question.tsx'
import { withSources } from './sources.tsx'
import { type Tab, Tabs } from './tabs.tsx'

/** What `useWrite` returns. */
interface Write<I> {
  readonly mutate: (input: I) => void
  readonly isPending: boolean
  readonly error: unknown
}

type OnPage = Stored & { readonly claims?: Claims; readonly etag?: unknown }

interface ObjectPageProps<T extends OnPage, Id extends string> {
  /** the key of the object, which is the title */
  readonly name: string
  /** what it is, in the singular */
  readonly kind: string
  /** where all of its kind are; the label is that of its section in docs/console.md, too */
  readonly list: { readonly to: string; readonly label: string }
  readonly query: UseQueryResult<T>
  readonly description: ReactNode
  /** buttons beside that which deletes */
  readonly actions?: ReactNode
  /** above the tabs: what matters whichever of them is open */
  readonly notice?: (object: T) => ReactNode
  readonly tabs: readonly Tab<Id>[]
  readonly open: Id
  readonly fields: readonly Field[]
  readonly save: Write<Edit>
  readonly remove: Write<Precondition>
  /** what goes along when it is deleted; shown before that */
  readonly removal: ReactNode
  /** the open part, unless that is `details` */
  readonly children: (object: T) => ReactNode
}

export function ObjectPage<T extends OnPage, Id extends string>(props: ObjectPageProps<T, Id>) {
  const { name, kind, list, query, description, actions, notice, tabs, open, fields } = props
  const { save, remove, removal, children } = props
  const canWrite = useMay('write')
  const claims = query.data?.claims
  const [isDeleting, setDeleting] = useState(false)
  const parent = (
    <Anchor component={Link} to={list.to} from="/$project/$environment" size="sm">
      {list.label}
    </Anchor>
  )
  const buttons = query.data !== undefined && (
    <>
      {actions}
      {canWrite && (
        <Button variant="default" onClick={() => setDeleting(true)}>
          Delete
        </Button>
      )}
    </>
  )
  const readAgain = async () => (await query.refetch()).data?.updated_at
  return (
    <Page key={name} title={name} help={list.label} {...{ parent, description }} actions={buttons} isWide>
      <MissingObject query={query} {...{ kind, name }} list={{ to: list.to, label: `All ${kind}s` }}>
        {(found) => (
          <>
            {notice?.(found)}
            <Tabs label={`About ${name}`} {...{ tabs, open }} />
            {open === 'details' ? (
              <DetailsForm
                key={name}
                {...{ readAgain, canWrite }}
                fields={withSources(fields, found.claims)}
                stored={found}
                write={save}
              />
            ) : (
              children(found)
            )}
          </>
        )}
      </MissingObject>
      {isDeleting && !isByHand(claims) && <NotHere name={name} claims={claims} onClose={() => setDeleting(false)} />}
      {isDeleting && isByHand(claims) && (
        <Dialog
          title={`Delete ${name}?`}
          action={`Delete ${kind}`}
          isDanger
          isBusy={remove.isPending}
          error={remove.error}
          onSubmit={() => remove.mutate(ifSame(query.data))}
          onClose={() => setDeleting(false)}
        >
          <div>{isFromOthers(claims) ? keptText(namesOf(claims)) : removal}</div>
        </Dialog>
      )}
    </Page>
  )
}
