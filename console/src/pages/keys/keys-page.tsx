// The API keys that the session reaches, to be made, rotated and deleted; the PDPs of the environment, and how one is
// started.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/use-session.ts'
import type { Column } from '../../components/data-table.tsx'
import { Icon } from '../../components/icon.tsx'
import { Instant } from '../../components/instant.tsx'
import { NamedRow } from '../../components/named-row.tsx'
import { Page } from '../../components/page.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { CopyLine } from './copy-line.tsx'
import { DeleteKeyDialog, NewKeyDialog, RotateDialog, SecretDialog } from './key-dialogs.tsx'
import { type ApiKey, keysQuery, ownKeyQuery } from './key-queries.ts'
import { nameOfKey, pdpLines, reachOfKey } from './key-words.ts'
import classes from './keys.module.css'
import { Pdps } from './pdps.tsx'

type Open = { readonly is: 'new' } | { readonly is: 'secret' | 'rotate' | 'delete'; readonly key: ApiKey }

export function KeysPage() {
  const { page = 1 } = useSearch({ from: '/$project/$environment/keys' })
  const keys = useQuery(keysQuery(page))
  const own = useQuery(ownKeyQuery)
  const canManage = useMay('admin')
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const showSecret = (key: ApiKey) => setOpen({ is: 'secret', key })
  const buttons: Column<ApiKey> = {
    header: 'Change',
    isHeaderHidden: true,
    align: 'right',
    width: '130px',
    cell: (key) => (
      <div className={classes.buttons}>
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={`Rotate ${nameOfKey(key)}`}
          onClick={() => setOpen({ is: 'rotate', key })}
        >
          Rotate
        </Button>
        <Button
          variant="subtle"
          color="red"
          size="compact-xs"
          aria-label={`Delete ${nameOfKey(key)}`}
          onClick={() => setOpen({ is: 'delete', key })}
        >
          Delete
        </Button>
      </div>
    ),
  }
  const columns = columnsFor(own.data)
  return (
    <Page
      title="Keys & PDPs"
      description="API keys of the places that you reach. Back ends, PDPs and the command line each need one."
      actions={
        canManage && (
          <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setOpen({ is: 'new' })}>
            New key
          </Button>
        )
      }
      isWide
    >
      <PagedList
        label="API keys"
        query={keys}
        columns={canManage ? [...columns, buttons] : columns}
        page={page}
        kind="key"
        found="nothing"
        isFiltered={false}
        empty={<EmptyState icon="keyRound" title="There are no keys" text="A key is made for each program." />}
      />
      <Pdps />
      <StartPdp />
      {open?.is === 'new' && <NewKeyDialog onDone={showSecret} onClose={close} />}
      {open?.is === 'secret' && <SecretDialog apiKey={open.key} onClose={close} />}
      {open?.is === 'rotate' && (
        <RotateDialog apiKey={open.key} isOwn={open.key.id === own.data} onDone={showSecret} onClose={close} />
      )}
      {open?.is === 'delete' && <DeleteKeyDialog apiKey={open.key} isOwn={open.key.id === own.data} onClose={close} />}
    </Page>
  )
}

function StartPdp() {
  return (
    <section aria-label="Start a PDP" className={classes.start}>
      <h2>Start a PDP</h2>
      <p>
        Put a key of the environment into <code>PDP_API_KEY</code> of the shell, so that it is in no history of
        commands, then start the PDP. It answers on port 7000.
      </p>
      {pdpLines(location.origin).map(({ by, line }) => (
        <CopyLine key={by} label={by} text={line} />
      ))}
    </section>
  )
}

const columnsFor = (own: string | null | undefined): readonly Column<ApiKey>[] => [
  {
    header: 'Key',
    cell: (key) => (
      <NamedRow name={reachOfKey(key)}>
        <span>
          {nameOfKey(key)} {key.id === own && <Tag>signed in</Tag>}
        </span>
      </NamedRow>
    ),
  },
  { header: 'May', cell: ({ access_level }) => <Tag>{access_level}</Tag>, width: '80px' },
  { header: 'Created', cell: ({ created_at }) => <Instant value={created_at} />, width: '220px', isMinor: true },
]
