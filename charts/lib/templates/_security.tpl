{{/* User of the pods; nothing where the cluster gives each namespace its own and refuses others, as OpenShift does. */}}
{{- define "lib.runAsUser" -}}
{{- if not (or .Values.assignedUser (.Capabilities.APIVersions.Has "security.openshift.io/v1")) -}}65532{{- end -}}
{{- end -}}

{{/* What Pod Security "restricted" asks of a pod; nothing can loosen it. */}}
{{- define "lib.podSecurity" -}}
runAsNonRoot: true
{{- with include "lib.runAsUser" . }}
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
{{- end }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* The same for a container. */}}
{{- define "lib.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop:
    - ALL
{{- end -}}

{{/* The only place that can be written. */}}
{{- define "lib.tmpVolume" -}}
name: tmp
emptyDir:
  sizeLimit: {{ index .Values.resources.limits "ephemeral-storage" }}
{{- end -}}

{{- define "lib.tmpMount" -}}
name: tmp
mountPath: /tmp
{{- end -}}

{{/* Requests and limits without those that are null. */}}
{{- define "lib.resources" -}}
{{- range $kind := list "requests" "limits" }}
{{ $kind }}:
  {{- range $name, $value := get $.Values.resources $kind }}
  {{- if not (kindIs "invalid" $value) }}
  {{ $name }}: {{ include "lib.text" $value }}
  {{- end }}
  {{- end }}
{{- end }}
{{- end -}}
