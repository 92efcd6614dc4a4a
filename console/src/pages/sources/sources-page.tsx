// Where facts come from when neither people nor your app write them: the groups that the directory sends, with the rules
// that give them roles, and the syncs of your own database.
import { Button } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/use-session.ts'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { GroupRules } from './group-rules.tsx'
import { Groups } from './groups.tsx'
import { DeleteRuleDialog, RuleDialog } from './rule-dialogs.tsx'
import type { GroupRule } from './source-queries.ts'
import { SOURCE_TABS } from './sources-search.ts'
import { Syncs } from './syncs.tsx'

/** The dialog that is open; a new rule may be for one group. */
type Open =
  | { readonly is: 'new'; readonly group?: GroupRule['group'] }
  | { readonly is: 'edit' | 'delete'; readonly rule: GroupRule }

export function SourcesPage() {
  const { tab = 'rules' } = useSearch({ from: '/$project/$environment/sources' })
  const canWrite = useMay('write', 'facts')
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const create = canWrite && tab !== 'syncs' && (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setOpen({ is: 'new' })}>
      New rule
    </Button>
  )
  return (
    <Page
      title="Sources"
      description="Where facts come from besides people and your app: your directory, and syncs of your own database."
      actions={create}
      isWide
    >
      <Tabs label="Sources" tabs={SOURCE_TABS} open={tab} />
      {tab === 'rules' && (
        <GroupRules
          create={create || undefined}
          onEdit={canWrite ? (rule) => setOpen({ is: 'edit', rule }) : undefined}
          onDelete={canWrite ? (rule) => setOpen({ is: 'delete', rule }) : undefined}
        />
      )}
      {tab === 'groups' && <Groups onRule={canWrite ? (group) => setOpen({ is: 'new', group }) : undefined} />}
      {tab === 'syncs' && <Syncs />}
      {open?.is === 'new' && <RuleDialog group={open.group} onClose={close} />}
      {open?.is === 'edit' && <RuleDialog rule={open.rule} onClose={close} />}
      {open?.is === 'delete' && <DeleteRuleDialog rule={open.rule} onClose={close} />}
    </Page>
  )
}
