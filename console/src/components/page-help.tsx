// The help of a page, beside it. Its text is loaded when it is asked for.
import { Button } from '@mantine/core'
import { Suspense, useState } from 'react'
import { Icon } from './icon.tsx'
import { lazyPart } from './lazy-part.ts'

const drawer = lazyPart(() => import('./help-drawer.tsx'))

export function PageHelp({ title }: { readonly title: string }) {
  const [isOpen, setOpen] = useState(false)
  const [wasOpen, setWasOpen] = useState(false)
  const open = () => {
    setOpen(true)
    setWasOpen(true)
  }
  return (
    <>
      <Button variant="subtle" color="gray" c="dimmed" leftSection={<Icon name="circleHelp" />} onClick={open}>
        Help
      </Button>
      {wasOpen && (
        <Suspense>
          <drawer.Part title={title} isOpen={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
