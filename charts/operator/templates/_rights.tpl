{{/* What the operator may do in the namespaces of its objects. */}}
{{- define "operator.workRules" -}}
- apiGroups: [ranger-relay.dev]
  resources: [patrolsyncs, patrolsyncrollbacks]
  verbs: [list, watch]
- apiGroups: [ranger-relay.dev]
  resources: [patrolsyncs/status, patrolsyncrollbacks/status]
  verbs: [patch]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: ['']
  resources: [pods]
  verbs: [list, watch]
- apiGroups: ['']
  resources: [secrets]
  verbs: [get]
- apiGroups: ['']
  resources: [events]
  verbs: [create, patch]
{{- end -}}

{{/* Who has the rights: kind of the role, its name. */}}
{{- define "operator.binding" -}}
{{- $root := index . 0 -}}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ index . 1 }}
  name: {{ index . 2 }}
subjects:
  - kind: ServiceAccount
    name: {{ include "lib.accountName" $root }}
    namespace: {{ $root.Release.Namespace }}
{{- end -}}

{{/* Name and labels of a role: in the namespace that is watched, or in none. */}}
{{- define "operator.workMetadata" -}}
{{- include "operator.clusterMetadata" (list . (include "lib.fullname" .) dict dict) }}
{{- with .Values.watchNamespace }}
namespace: {{ . }}
{{- end }}
{{- end -}}

{{- define "operator.rights" -}}
{{- $name := include "lib.fullname" . -}}
{{- $kind := ternary "Role" "ClusterRole" (not (empty .Values.watchNamespace)) -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}
metadata:
  {{- include "operator.workMetadata" . | nindent 2 }}
rules:
  {{- include "operator.workRules" . | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata:
  {{- include "operator.workMetadata" . | nindent 2 }}
{{ include "operator.binding" (list . $kind $name) }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  {{- include "lib.metadata" (list . "-leases" dict dict) | nindent 2 }}
rules:
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    verbs: [get, list, watch, create, update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  {{- include "lib.metadata" (list . "-leases" dict dict) | nindent 2 }}
{{ include "operator.binding" (list . "Role" (printf "%s-leases" $name)) }}
{{- end -}}

{{/* What people may do with the objects, added to the roles that they have already: view, edit, admin. */}}
{{- define "operator.people" -}}
{{- $aggregate := "rbac.authorization.k8s.io/aggregate-to-%s" -}}
{{- $roles := list (dict "end" "-viewer" "to" (list "view" "edit" "admin") "verbs" (list "get" "list" "watch")) (dict "end" "-editor" "to" (list "edit" "admin") "verbs" (list "create" "update" "patch" "delete" "deletecollection")) -}}
{{- range $roles }}
{{- $labels := dict -}}
{{- range .to }}{{- $_ := set $labels (printf $aggregate .) "true" }}{{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  {{- include "operator.clusterMetadata" (list $ (printf "%s%s" (include "lib.fullname" $) .end) $labels dict) | nindent 2 }}
rules:
  - apiGroups: [ranger-relay.dev]
    resources: [patrolsyncs, patrolsyncrollbacks]
    verbs:
      {{- toYaml .verbs | nindent 6 }}
{{- end }}
{{- end -}}
