// The policy of the environment as a file, now or as it was.
import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { describeError } from '../../api/api-error.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { Icon } from '../../components/icon.tsx'
import classes from './policy-file.module.css'
import { exported } from './policy-file-queries.ts'

export function ExportSection() {
  const path = useEnvironmentPath()
  const [hasFacts, setFacts] = useState(false)
  const [at, setAt] = useState('')
  const time = at.trim()
  const download = useMutation({
    mutationFn: () => exported(path, hasFacts, time),
    meta: { isRead: true },
    onSuccess: (text) => save(`${path.e}${time === '' ? '' : `@${time.replaceAll(':', '-')}`}.json`, text),
  })
  return (
    <section>
      <h2>Export</h2>
      <p className={classes.note}>
        Download as JSON (valid YAML), for <code>zerohop fmt</code> and <code>zerohop plan</code>.
      </p>
      <form
        className={classes.form}
        aria-label="Export"
        onSubmit={(event) => {
          event.preventDefault()
          download.mutate()
        }}
        noValidate
      >
        <TextInput
          label="As of"
          placeholder="Revision or time; empty is now"
          value={at}
          onChange={({ currentTarget }) => setAt(currentTarget.value)}
          error={download.isError && describeError(download.error).text}
          autoComplete="off"
        />
        <label className={classes.choice}>
          <input type="checkbox" checked={hasFacts} onChange={({ currentTarget }) => setFacts(currentTarget.checked)} />
          Include users, tenants and all other facts
        </label>
        <Button
          type="submit"
          variant="default"
          loading={download.isPending}
          leftSection={<Icon name="download" size={14} />}
        >
          Download
        </Button>
      </form>
    </section>
  )
}

function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // the download has begun with the click
  setTimeout(() => URL.revokeObjectURL(address))
}
