// Before anything is painted: the theme that was chosen, so that no dark room opens with a flash.
{
  const chosen = localStorage.getItem("bethink.theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
}
