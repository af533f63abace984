/** Makes the browser save content as a file. */
export const saveBlob = (name: string, content: Blob): void => {
  const url = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

export const saveFile = (name: string, type: string, text: string): void => saveBlob(name, new Blob([text], { type }))
