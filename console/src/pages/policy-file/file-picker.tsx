// Picks policy files, by a dialog or by dropping them. A file that is picked again takes the place of the earlier one.
import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { RemovableTag, Tags } from '../../components/tag.tsx'
import { type PickedFile, withPicked } from './picked-files.ts'
import classes from './policy-file.module.css'

interface FilePickerProps {
  readonly files: readonly PickedFile[]
  readonly onChange: (files: readonly PickedFile[]) => void
}

export function FilePicker({ files, onChange }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null)
  const [refused, setRefused] = useState<readonly string[]>([])
  const [isOver, setOver] = useState(false)
  const add = async (list: FileList | null) => {
    const picked = await withPicked(files, [...(list ?? [])])
    setRefused(picked.refused)
    onChange(picked.files)
    if (input.current !== null) input.current.value = '' // the same file may be picked again, changed
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way, the button is the first one */}
      <div
        className={classes.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          void add(event.dataTransfer.files)
        }}
      >
        <input
          ref={input}
          type="file"
          multiple
          accept=".yaml,.yml,.json"
          aria-label="Policy files"
          className={classes.input}
          tabIndex={-1}
          onChange={({ currentTarget }) => void add(currentTarget.files)}
        />
        <Button variant="default" leftSection={<Icon name="upload" size={14} />} onClick={() => input.current?.click()}>
          Choose files
        </Button>
        <span>or drop them here. YAML or JSON; several files make one policy.</span>
      </div>
      {refused.length > 0 && (
        <ul role="alert" className={classes.refused}>
          {refused.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <Tags>
          {files.map(({ name }) => (
            <RemovableTag
              key={name}
              label={`Remove ${name}`}
              onRemove={() => onChange(files.filter((file) => file.name !== name))}
            >
              {name}
            </RemovableTag>
          ))}
        </Tags>
      )}
    </>
  )
}
