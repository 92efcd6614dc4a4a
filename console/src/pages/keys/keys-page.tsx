// The API keys that the session reaches, to be made, rotated and deleted; the PDPs of the environment, and how one is
// started.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
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
import { DeleteKeyDialog, EndOldSecretDialog, NewKeyDialog, RotateDialog, SecretDialog } from './key-dialogs.tsx'
import { type ApiKey, keysQuery, ownKeyQuery } from './key-queries.ts'
import { markOfEnd, nameOfKey, pdpLines, reachOfKey } from './key-words.ts'
import classes from './keys.module.css'
import { Pdps } from './pdps.tsx'

type Open = { readonly is: 'new' } | { readonly is: 'secret' | 'rotate' | 'end old' | 'delete'; readonly key: ApiKey }

const FROM = '/$project/$environment/keys'

export function KeysPage() {
  const { page = 1, new: asked } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const keys = useQuery(keysQuery(page))
  const own = useQuery(ownKeyQuery)
  const canManage = useMay('admin')
  const [open, setOpen] = useState<Open | undefined>(canManage && asked ? { is: 'new' } : undefined)
  const close = () => {
    setOpen(undefined)
    // the address does not open it again
    if (asked) void navigate({ search: {}, replace: true })
  }
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
        {key.old_secret_expires_at !== null && (
          <Button
            variant="subtle"
            size="compact-xs"
            aria-label={`End old secret of ${nameOfKey(key)}`}
            onClick={() => setOpen({ is: 'end old', key })}
          >
            End old secret
          </Button>
        )}
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
      description="API keys you can manage. Back ends, PDPs and the command line each need one."
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
        empty={<EmptyState icon="keyRound" title="No API keys yet" text="Create a key for each program." />}
      />
      <Pdps />
      <StartPdp />
      {open?.is === 'new' && <NewKeyDialog level={asked} onDone={showSecret} onClose={close} />}
      {open?.is === 'secret' && <SecretDialog apiKey={open.key} onClose={close} />}
      {open?.is === 'rotate' && (
        <RotateDialog apiKey={open.key} isOwn={open.key.id === own.data} onDone={showSecret} onClose={close} />
      )}
      {open?.is === 'end old' && <EndOldSecretDialog apiKey={open.key} onClose={close} />}
      {open?.is === 'delete' && <DeleteKeyDialog apiKey={open.key} isOwn={open.key.id === own.data} onClose={close} />}
    </Page>
  )
}

function StartPdp() {
  return (
    <section aria-label="Start a PDP" className={classes.start}>
      <h2>Start a PDP</h2>
      <p>
        The first command asks for the secret of a key of the environment and sets <code>PDP_API_KEY</code> in your
        shell, so it stays out of your shell history. Then start the PDP. It listens on port 7000.
      </p>
      {pdpLines(location.origin).map(({ by, line }) => (
        <CopyLine key={by} label={by} text={line} />
      ))}
    </section>
  )
}

/** When a key ends, and its old secret. */
function End({ apiKey: { expires_at, old_secret_expires_at } }: { readonly apiKey: ApiKey }) {
  return (
    <>
      {expires_at === null ? 'Never' : <Instant value={expires_at} />}
      {old_secret_expires_at !== null && (
        <div>
          old secret: <Instant value={old_secret_expires_at} />
        </div>
      )}
    </>
  )
}

/** Beside the name, where it is seen on a narrow screen too. */
function EndMark({ expiresAt }: { readonly expiresAt: string | null }) {
  const mark = markOfEnd(expiresAt, Date.now())
  return mark && <Tag>{mark}</Tag>
}

const columnsFor = (own: string | null | undefined): readonly Column<ApiKey>[] => [
  {
    header: 'Key',
    cell: (key) => (
      <NamedRow name={reachOfKey(key)}>
        <span>
          {nameOfKey(key)} {key.id === own && <Tag>signed in</Tag>} <EndMark expiresAt={key.expires_at} />
        </span>
      </NamedRow>
    ),
  },
  { header: 'Access', cell: ({ access_level }) => <Tag>{access_level}</Tag>, width: '80px' },
  { header: 'Ends', cell: (key) => <End apiKey={key} />, width: '190px', isMinor: true },
  {
    header: 'Last used',
    cell: ({ last_used_at }) => (last_used_at === null ? '–' : last_used_at.slice(0, 10)),
    width: '100px',
    isMinor: true,
  },
  { header: 'Created', cell: ({ created_at }) => <Instant value={created_at} />, width: '220px', isMinor: true },
]
