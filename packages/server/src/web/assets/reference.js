/* Sends the requests of the reference's forms to this service. Nothing that is entered is stored. */

/** The credentials, by their kind: entered once for all forms of the page. */
function shareCredentials(forms) {
  const inputs = forms.flatMap(form => [...form.querySelectorAll('[data-in="token"]')])
  const kindOf = input => input.parentElement.firstChild.textContent.trim()
  for (const input of inputs) {
    input.addEventListener('change', () => {
      for (const other of inputs) if (kindOf(other) === kindOf(input)) other.value = input.value
    })
  }
}

/** The URL, headers and body that a form describes. Empty optional fields are left out. */
function requestOf(form) {
  const headers = {}
  const query = new URLSearchParams()
  let path = form.dataset.path
  let body
  for (const field of form.querySelectorAll('[data-in]')) {
    const value = field.value.trim()
    const place = field.dataset.in
    if (place === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(value))
    else if (value === '') continue
    else if (place === 'query') query.set(field.name, value)
    else if (place === 'header') headers[field.name] = value
    else if (place === 'token') headers.authorization = `Bearer ${value}`
    else body = value
  }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const search = query.size > 0 ? `?${query}` : ''
  return { url: path + search, options: { method: form.dataset.try, headers, body, credentials: 'omit' } }
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

async function send(form) {
  const status = form.querySelector('[role="status"]')
  const output = form.querySelector('pre')
  const { url, options } = requestOf(form)
  status.textContent = 'Waiting for the response …'
  output.hidden = true
  try {
    const response = await fetch(url, options)
    const text = await response.text()
    status.textContent = `${response.status} ${response.statusText}`
    output.hidden = text === ''
    output.firstChild.textContent = indented(text)
  } catch (error) {
    status.textContent = `No response: ${error.message}`
  }
}

const forms = [...document.querySelectorAll('form[data-try]')]
for (const form of forms) {
  form.closest('details').hidden = false
  form.addEventListener('submit', event => {
    event.preventDefault()
    void send(form)
  })
}
shareCredentials(forms)
