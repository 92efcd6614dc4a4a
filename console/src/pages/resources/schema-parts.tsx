// Actions and attributes of a resource type: listed, made, changed, deleted. Both are lists of the same form.
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Edit } from '../../api/precondition.ts'
import { useMay } from '../../api/use-session.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EditObjectDialog } from '../../components/edit-object-dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { type NewObject, NewObjectDialog } from '../../components/new-object-dialog.tsx'
import type { Field, Stored } from '../../components/object-draft.ts'
import { EmptyState } from '../../components/states.tsx'
import { DeletePart } from './delete-part.tsx'
import { PartButtons } from './part-buttons.tsx'
import type { RemovedKind } from './resource-queries.ts'
import classes from './resources.module.css'
import { useParts } from './use-parts.ts'

type Result = Promise<{ readonly error?: unknown; readonly response: Response }>

export interface Part {
  readonly key: string
}

interface SchemaPartsProps<T extends Part> {
  /** in the singular: `action` */
  readonly kind: string
  readonly label: string
  readonly removed: RemovedKind
  /** the key of the type */
  readonly of: string
  readonly rows: readonly T[]
  readonly columns: readonly Column<T>[]
  /** what they are for, where there is none */
  readonly empty: string
  readonly newFields: readonly Field[]
  /** without them a part cannot be changed */
  readonly fields?: readonly Field[]
  readonly readAgain?: (key: string) => Promise<Stored | undefined>
  readonly create: (body: NewObject) => Result
  readonly update?: (key: string, edit: Edit) => Result
  readonly remove: (key: string) => Result
  /** of the dialog that makes one */
  readonly more?: Readonly<Record<string, unknown>>
  readonly isIncomplete?: boolean
  readonly below?: ReactNode
  readonly onTry?: () => void
}

export function SchemaParts<T extends Part>(props: SchemaPartsProps<T>) {
  const { kind, label, removed, of, rows, columns, empty, newFields, fields, readAgain, create, update, remove } = props
  const { more = {}, isIncomplete = false, below, onTry } = props
  const canWrite = useMay('write')
  const parts = useParts()
  const { open, close } = parts
  const key = open?.is === 'new' ? undefined : open?.key
  const stored = rows.find((row) => row.key === key)
  const make = canWrite && (
    <Button variant="default" leftSection={<Icon name="plus" size={14} />} onClick={() => parts.show({ is: 'new' })}>
      New {kind}
    </Button>
  )
  const buttons: Column<T> = {
    header: 'Change',
    isHeaderHidden: true,
    align: 'right',
    width: '130px',
    cell: (row) => (
      <PartButtons about={`${kind} ${row.key}`} partKey={row.key} parts={parts} isFixed={fields === undefined} />
    ),
  }
  return (
    <>
      {rows.length === 0 ? (
        <EmptyState icon="shapes" title={`No ${label.toLowerCase()} yet`} text={empty} action={make || undefined} />
      ) : (
        <>
          {make && <div className={classes.above}>{make}</div>}
          <DataTable
            label={label}
            columns={canWrite ? [...columns, buttons] : columns}
            rows={rows}
            rowKey={(row) => row.key}
          />
        </>
      )}
      {open?.is === 'new' && (
        <NewObjectDialog
          kind={kind}
          fields={newFields}
          send={create}
          onDone={close}
          onClose={close}
          more={more}
          isIncomplete={isIncomplete}
          below={below}
          {...(onTry === undefined ? {} : { onTry })}
        />
      )}
      {open?.is === 'edit' && stored !== undefined && fields !== undefined && update !== undefined && readAgain && (
        <EditObjectDialog
          kind={kind}
          name={stored.key}
          fields={fields}
          stored={stored as Stored}
          readAgain={() => readAgain(stored.key)}
          send={(edit) => update(stored.key, edit)}
          onClose={close}
        />
      )}
      {open?.is === 'delete' && key !== undefined && (
        <DeletePart
          kind={kind}
          name={key}
          removed={removed}
          of={`${of}/${key}`}
          send={() => remove(key)}
          onClose={close}
        />
      )}
    </>
  )
}
