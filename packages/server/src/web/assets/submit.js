/* Sends the form of the page at once. Without this script its button does. */

document.querySelector('form[data-submit]').submit()
